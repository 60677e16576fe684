import { visible } from './visible.ts';

/** A command as a person pastes it into a shell. */
export function typed(command: string): string {
  return `npm run mailroom -- ${command}`;
}

/**
 * A word of a command line, quoted for a POSIX shell where it must be. What cannot be shown safely is written as bash, zsh
 * and ksh read it ($'...'), so that the line can be pasted and yet drives no terminal.
 */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  if (visible(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${visible(word.replaceAll(/[\\']/g, String.raw`\$&`))}'`;
}
