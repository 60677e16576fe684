/** A text fit for a log: without known secrets and whatever looks like one, and not too long. */
export type Scrub = (text: string) => string;

export interface Scrubber {
  readonly scrub: Scrub;
  /** More texts to strike out from now on. */
  readonly hide: (secrets: readonly string[]) => void;
}

/** Strikes the given secrets and everything that looks like a secret, a signature or an address out of texts. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  let known: readonly string[] = [];
  hide(secrets);
  return { scrub, hide };

  function scrub(text: string): string {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, '[redacted]');
    clean = clean.slice(0, longestText);
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    return clean;
  }

  function hide(more: readonly string[]): void {
    // The longest first, so that a secret that contains another is struck whole.
    known = [...new Set([...known, ...more])]
      .filter((secret) => secret.length >= shortestStruck)
      .toSorted((a, b) => b.length - a.length);
  }
}

/** A shorter one would strike pieces out of ordinary words. */
const shortestStruck = 6;
const longestText = 2000;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(whsec|sk|rk|pk)_[\w+/=-]{8,}/g, '[redacted]'],
  [/\bv1a?[=,][\w+/=-]{16,}/g, 'v1=[redacted]'],
  [/(:\/\/[^\s:@/]{0,64}:)[^\s@/]{1,256}@/g, '$1[redacted]@'],
  [/\b(bearer|basic)\s+[\w+/=.~-]{8,}/gi, '$1 [redacted]'],
  [/[\w.+-]{1,64}@[\w-]{1,64}(\.[\w-]{1,64})+/g, '[address]'],
];
