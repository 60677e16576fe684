/** Breaks a text at its spaces into lines of at most so many characters; a longer word stands alone and is cut. */
export function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/).flatMap((long) => cut(long, width))) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function cut(word: string, width: number): string[] {
  return word.length <= width ? [word] : [word.slice(0, width), ...cut(word.slice(width), width)];
}
