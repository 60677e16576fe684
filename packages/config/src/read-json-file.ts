import { readFileSync } from 'node:fs';
import { readJson } from '@mailroom/kernel';
import { whyUnreadable } from './secret-source.ts';

/** What a file holds; `missing`: there is none; `found`: what is wrong with it, in words that quote nothing of it. */
export type FileContent = { readonly value: unknown } | { readonly missing: true } | { readonly found: string };

/** Reads strict JSON. Never throws. */
export function readJsonFile(path: string): FileContent {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const why = whyUnreadable(error);
    return why === 'does not exist' ? { missing: true } : { found: `that it ${why}` };
  }
  const reading = readJson(bytes);
  if (reading.outcome === 'json') return { value: reading.value };
  return { found: `text that is not JSON${whereItBreaks(bytes)}` };
}

/** Line and column, where the parser tells them. Its message itself quotes the text, and with it perhaps a secret. */
function whereItBreaks(bytes: Buffer): string {
  try {
    JSON.parse(bytes.toString());
    return '';
  } catch (error) {
    const place = /line \d+ column \d+/.exec(error instanceof Error ? error.message : '');
    return place === null ? '' : ` (${place[0]})`;
  }
}
