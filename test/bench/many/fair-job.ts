/** A worker that runs until so many events of the quiet endpoint are finished. */
export interface FairJob {
  readonly url: string;
  readonly count: number;
}

export const quietEndpoint = 'quiet';
