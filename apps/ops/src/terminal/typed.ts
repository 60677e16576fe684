/** A command as a person pastes it into a shell. */
export function typed(command: string): string {
  return `npm run mailroom -- ${command}`;
}

/** A word of a command line, quoted for a POSIX shell where it must be. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
