/** What came back: the status, or 'no answer: ...' where the exchange broke. */
export type Answer = number | `no answer: ${string}`;

/** Stripe's own client gives a receiver up after some 20 to 30 seconds; nothing here should come near it. */
const answerTimeoutMs = 30_000;

/** Posts the exact bytes. Every call in flight has a connection of its own; idle ones are used again. */
export async function post(url: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return `no answer: ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says only "fetch failed"; the reason is one level down, and its message is empty when several addresses were tried.
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
