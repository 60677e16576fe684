declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** A DynamoDB in memory, as an HTTP server that does not listen yet. */
  function dynalite(options: { readonly createTableMs: number }): Server;
  export = dynalite;
}
