import { type StartedProcess, type StartProcessOptions, startProcess as start } from '@mailroom/handler-kit';

export type { StartedProcess } from '@mailroom/handler-kit';

/** Starts a process that gets PATH, HOME and TMPDIR too, as a person's shell would give them. */
export function startProcess(options: StartProcessOptions): StartedProcess {
  return start({ ...options, env: { ...inherited(), ...options.env } });
}

function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
