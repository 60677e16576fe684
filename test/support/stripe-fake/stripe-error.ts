/** What a call is answered with. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ErrorDetail {
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly message?: string;
}

const typeOfStatus: Readonly<Record<number, string>> = { 402: 'card_error', 500: 'api_error', 503: 'api_error' };

/** An error as Stripe writes it. */
export function stripeError(status: number, detail: ErrorDetail = {}, headers: Answer['headers'] = {}): Answer {
  const type = typeOfStatus[status] ?? 'invalid_request_error';
  return { status, body: { error: { type, message: `The fake answers ${status}.`, ...detail } }, headers };
}

export function noSuch(object: string, id: string, param = 'id'): Answer {
  return stripeError(404, { code: 'resource_missing', param, message: `No such ${object}: '${id}'` });
}
