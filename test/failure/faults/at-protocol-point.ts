import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, pick, type World } from '../fault.ts';
import { type PointAct, type ProtocolPoint, protocolPoints } from '../protocol-point.ts';
import { stopMs } from './stop-process.ts';

const moments: Readonly<Record<ProtocolPoint, string>> = {
  after_claim: 'after a claim, before any work',
  in_handler: 'inside a handler, a statement of it under way',
  before_commit: 'before COMMIT, all work done',
  after_commit: 'after COMMIT was sent, before its answer',
  before_failure_record: 'before the failure of an attempt is recorded',
};

/** A worker is killed, and stopped for longer than a lease, at each named point. */
export const atProtocolPoints: readonly Fault[] = protocolPoints.flatMap((point) => [
  at(point, 'SIGKILL', 'killed', 'SIGKILL of a worker'),
  at(point, 'SIGSTOP', 'stopped', 'SIGSTOP of a worker for longer than a lease'),
]);

/** The commit happened and nobody told the worker. */
export const commitUnanswered: Fault = at('after_commit', 'cut', 'connection reset', 'the connection is reset');

function at(point: ProtocolPoint, act: PointAct, done: string, does: string): Fault {
  return {
    name: `${point.replaceAll('_', ' ')}: ${done}`,
    does: `${does} ${moments[point]}`,
    lane: 'processes',
    inject: (world) => inject(world, point, act),
  };
}

async function inject({ fleet, random, workers, stories, send }: World, point: ProtocolPoint, act: PointAct) {
  const target = await fleet.started(pick(random, workers));
  if (!target) return false;
  if (act !== 'cut') fleet.excuse(target);
  const reached = fleet.reached(target).then(() => true);
  fleet.tell(target, { arm: { point, act } });
  if (point === 'before_failure_record') send([...stories.poison(), ...stories.poison()]);
  const ended = target.exited.then(() => false);
  const late = pause(pointDeadlineMs, false, { ref: false });
  const happened = await Promise.race([reached, ended, late]);
  if (!happened) {
    fleet.tell(target, { disarm: true });
    // It may still have been reached before that was heard, and nobody waits for it any more.
    await pause(1_000);
  } else if (act === 'SIGSTOP') {
    await pause(stopMs);
  }
  target.kill('SIGCONT');
  return happened;
}

/** A worker that has work passes every point within a second; the database may be away for a few. */
const pointDeadlineMs = 12_000;
