import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The folder of recorded deliveries beside this repository, or null where there is none. They belong to others and are not
 * copied in; a test that needs them says so and skips.
 */
export function fixturesFolder(): string | null {
  const folder = fileURLToPath(new URL('../../../shared/fixtures', import.meta.url));
  return existsSync(folder) ? folder : null;
}
