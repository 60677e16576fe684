/** A title as it is written in a test file, of a parametrised test too, as a pattern of the titles that vitest makes of it. */
export function titlePattern(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/%[a-z]/g, '.+');
}
