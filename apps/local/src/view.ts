import type { CountsView, ProcessView, View } from './frame.ts';
import type { Notices } from './notices.ts';
import type { Supervised } from './supervise.ts';

/** What the view is made of. */
export interface Watched {
  readonly url: string;
  readonly startedAtMs: number;
  readonly logFolder: string;
  readonly tryNext: View['tryNext'];
  readonly notices: Notices;
  readonly programs: readonly Supervised[];
  /** Names of the programs that say they are ready. */
  readonly ready: ReadonlySet<string>;
  /** null: the database does not answer. */
  readonly counts: CountsView | null;
  readonly database: { readonly pid: number | null; readonly where: string };
}

/** Puts into words how everything is. */
export function viewOf(watched: Watched, nowMs: number): View {
  const { programs, ready, counts, database } = watched;
  const processes = programs.map((each) => processView(each, ready, nowMs));
  const databaseView: ProcessView = {
    name: 'database',
    state: counts ? 'ready' : 'no answer',
    well: counts !== null,
    pid: database.pid === null ? '-' : String(database.pid),
    restarts: 0,
    where: database.where,
  };
  const well = processes.every((each) => each.well) && databaseView.well;
  return {
    title: `Mailroom  ${watched.url}`,
    well,
    summary: well ? 'ready' : 'not ready',
    upForMs: nowMs - watched.startedAtMs,
    counts,
    processes: [...processes, databaseView],
    notices: watched.notices.last(100),
    logFolder: watched.logFolder,
    tryNext: watched.tryNext,
  };
}

function processView(supervised: Supervised, ready: ReadonlySet<string>, nowMs: number): ProcessView {
  const { program } = supervised;
  const condition = supervised.condition();
  const running = condition.is === 'running';
  const well = running && ready.has(program.name);
  return {
    name: program.name,
    state: stateOf(),
    well,
    pid: running ? String(condition.pid) : '-',
    restarts: supervised.restarts(),
    where: program.where,
  };

  function stateOf(): string {
    switch (condition.is) {
      case 'running':
        return well ? 'ready' : 'up, not ready';
      case 'pausing':
        return `down, again in ${Math.max(0, Math.ceil((condition.untilMs - nowMs) / 1000))} s`;
      case 'stopped':
        return 'stopped';
    }
  }
}
