import { resolve } from 'node:path';
import { databaseUrlProblem } from './database-url.ts';
import type { IntegerSetting, Setting } from './setting.ts';
import { shown } from './shown.ts';

/** A value, or what is wrong with the text: `found` and `right` of a problem. */
export type Parsed =
  | { readonly value: string | number | null }
  | { readonly problem: { readonly found: string; readonly right: string } };

/**
 * Reads the text of one setting, strictly: nothing is trimmed, rounded or guessed. A path becomes absolute against `cwd`.
 */
export function parseSetting(setting: Setting, text: string, cwd: string): Parsed {
  switch (setting.kind) {
    case 'integer':
      return parseInteger(setting, text);
    case 'choice':
      if (setting.choices.includes(text)) return { value: text };
      return { problem: { found: shown(text), right: `one of ${setting.choices.join(', ')}` } };
    case 'path':
      if (isPlain(text, 4096)) return { value: resolve(cwd, text) };
      return { problem: { found: shown(text), right: 'a path, without white space at its ends' } };
    case 'host':
      if (hostForm.test(text) || ipv6Form.test(text)) return { value: text };
      return { problem: { found: shown(text), right: 'an IP address or a host name, without a scheme or a port' } };
    case 'url':
      if (isWebAddress(text)) return { value: text.replace(/\/+$/, '') };
      return {
        problem: { found: shown(text), right: 'https://HOST, perhaps with a path, without user, query and fragment' },
      };
    case 'text':
      if (isPlain(text, 255)) return { value: text };
      return { problem: { found: shown(text), right: 'at most 255 characters, without white space at the ends' } };
    case 'databaseUrl': {
      const problem = databaseUrlProblem(text);
      return problem === null ? { value: text } : { problem };
    }
    case 'secret':
      // Judged with the endpoint that it belongs to, by the endpoint's provider.
      return { value: text };
  }
}

/** The value that holds where nothing is set. */
export function defaultOf(setting: Setting, cwd: string): string | number | null {
  if (setting.kind === 'path' && setting.default !== null) return resolve(cwd, setting.default);
  return setting.default;
}

function parseInteger(setting: IntegerSetting, text: string): Parsed {
  const { min, max } = setting;
  const value = integerForm.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return { value };
  const noun = setting.name.endsWith('_MS') ? 'whole milliseconds' : 'a whole number';
  return { problem: { found: shown(text), right: `${noun} from ${min} to ${max}, digits only` } };
}

// `10s`, `1e3`, `0x10`, `+5`, `007` and ` 5` are all read differently by different programs, so none of them is accepted.
const integerForm = /^(0|[1-9]\d{0,14})$/;
const hostForm = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const ipv6Form = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9]+)?$/;

/** `http:` or `https:`, with nothing in it that could be a secret but its path. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !isPlain(text, 2000)) return false;
  return /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '';
}

function isPlain(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.trim() === text && !/\p{Cc}/u.test(text);
}
