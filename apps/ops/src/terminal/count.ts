/** A count in a column: a thousands separator, and a zero that does not shout. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}
