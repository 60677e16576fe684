/** What is wrong with a database URL, in words that never repeat its password; null when nothing is. */
export function databaseUrlProblem(text: string): { readonly found: string; readonly right: string } | null {
  const right = 'postgres://user:password@host:5432/database, special characters of the password percent-encoded';
  if (text.trim() !== text) return { found: 'white space at its ends', right };
  if (!/^postgres(ql)?:\/\//.test(text))
    return { found: 'a text that does not begin with postgres:// (not shown)', right };
  if (!URL.canParse(text)) return { found: 'a text that is not a URL (not shown)', right };
  return null;
}

/** A database URL for people: the password, and every query parameter that could hold one, replaced by `[redacted]`. */
export function redactDatabaseUrl(text: string): string {
  if (databaseUrlProblem(text) !== null) return '[redacted]';
  const url = new URL(text);
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : ':[redacted]'}@`;
  const query = [...url.searchParams].map(([name, value]) => {
    return shownParameters.has(name) ? `${name}=${value}` : '[redacted]';
  });
  return `${url.protocol}//${user}${url.host}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** The secret parts of a database URL, as they stand in it and decoded; empty where there is none. */
export function secretsOfDatabaseUrl(text: string): readonly string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const parts = [url.password, decoded(url.password), url.searchParams.get('password') ?? ''];
  return [...new Set(parts)].filter((part) => part !== '');
}

const shownParameters = new Set(['sslmode', 'host', 'port', 'dbname', 'user', 'application_name', 'schema']);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
