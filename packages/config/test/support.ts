import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../src/environment.ts';
import { loadConfig } from '../src/load-config.ts';
import type { ProviderRules } from '../src/provider-rules.ts';
import type { Role } from '../src/setting.ts';

/** Judges as the real providers do: config imports none of them. */
export const providers: readonly ProviderRules[] = [
  provider('stripe', (value) => {
    if (!value.startsWith('whsec_')) return 'does not start with whsec_';
    return value.length < 30 ? 'is too short' : null;
  }),
  provider('marqeta', (value) => (value.length < 20 ? 'is too short' : null)),
];

/** Its one option is a `url`. */
function provider(name: string, secretProblem: (value: string) => string | null): ProviderRules {
  return {
    name,
    configure: (options) => {
      const problems = Object.entries(options)
        .filter(([key, value]) => key !== 'url' || typeof value !== 'string')
        .map(([key]) => ({ path: [key], right: key === 'url' ? 'a URL' : 'no such option' }));
      if (problems.length > 0) return { outcome: 'invalid', problems };
      return { outcome: 'configured', scheme: { secretProblem } };
    },
  };
}

export const stripeSecret = 'whsec_Q0RFRkdISUpLTE1OT1BRUlNUVVZX';
export const otherStripeSecret = 'whsec_enp5eHd2dXRzcnFwb25tbGtqaWhn';

/** A working directory of its own, with the given files; gone after the test. */
export function workingDirectory(files: Readonly<Record<string, string | object>> = {}): string {
  const cwd = mkdtempSync(join(tmpdir(), 'mailroom-config-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return cwd;
}

export function load(role: Role, env: Environment = {}, cwd: string = workingDirectory()) {
  return loadConfig(role, { env, cwd, providers });
}

/** The lines of `config_invalid`, without the heading. */
export function problemsOf(role: Role, env: Environment, cwd?: string): readonly string[] {
  try {
    load(role, env, cwd);
  } catch (error) {
    return String(error)
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  throw new Error('the configuration was accepted');
}
