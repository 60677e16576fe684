import type { Environment } from './environment.ts';
import { nearest } from './nearest.ts';
import { settings } from './settings.ts';

/**
 * One sentence for every variable that looks like a setting and is none: whatever begins with `MAILROOM_`, and whatever
 * begins with the first word of our other settings and is nearly one of them. Says nothing of its value.
 */
export function unknownVariables(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => !known.has(name) && env[name] !== undefined && !setByKubernetes.test(name))
    .toSorted()
    .flatMap((name) => {
      const meant = nearest(name, names);
      if (!name.startsWith('MAILROOM_') && !(ourPrefix.test(name) && meant !== null)) return [];
      return [`${name} is not a setting of Mailroom${meant === null ? '' : `; did you mean ${meant}?`}`];
    });
}

const names = settings.map((setting) => setting.name);
const known: ReadonlySet<string> = new Set(names);
const ourPrefix = /^(INGEST|WORKER|OUTBOX|SHUTDOWN|ADMIN|DATABASE|STRIPE)_/;

// A Kubernetes service named "mailroom" puts these into every pod of its namespace.
const setByKubernetes =
  /^MAILROOM_.*?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;
