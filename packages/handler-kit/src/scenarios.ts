import type { Mode } from './attempt.ts';
import type { SampleDelivery } from './delivery.ts';
import { differenceOf, type EndState } from './end-state.ts';
import { endpoints } from './ingestor.ts';
import { inRandomOrders, permutations, rotations } from './orders.ts';
import { once, type Run, type Sent, type Stage, twice } from './stage.ts';

/** What is compared with what. */
export interface Proof {
  readonly stage: Stage;
  readonly deliveries: readonly SampleDelivery[];
  /** What the deliveries in the order given left, each handled once. */
  readonly expected: EndState;
}

export interface RandomOrders {
  readonly seed: number;
  readonly count: number;
}

/** Plays the deliveries once, in the order given: what every other run must end with. Throws where something is not done. */
export async function firstRun(stage: Stage, deliveries: readonly SampleDelivery[]): Promise<EndState> {
  const sent = once(deliveries);
  const run = await stage.oneByOne(sent, 'alone');
  expectFinished(run, `delivered: ${namesOf(sent)}`);
  if ([...run.end.values()].every((rows) => rows.length === 0)) {
    const compared = [...run.end.keys()].join(', ');
    throw new Error(`the handlers wrote nothing to ${compared}: name the tables that they write in \`tables\``);
  }
  return run.end;
}

// Each of these throws what is wrong, for a person, and answers how many runs it compared.

/** Every delivery twice to each of two endpoints: the inbox stops the second, only the handler the other endpoint's. */
export async function everythingAgain(proof: Proof, mode: Mode): Promise<number> {
  const all = twice(proof.deliveries);
  const first = all.filter(({ endpoint }) => endpoint === endpoints[0]);
  const second = all.filter(({ endpoint }) => endpoint !== endpoints[0]);
  const orders = [all.flatMap((one) => [one, one]), [...first, ...second], [...first, ...second.toReversed()]];
  for (const sent of orders) await sameIn(proof, sent, mode);
  return orders.length;
}

/** Every order. Handled one by one, or all of them in one batch. */
export async function everyOrder(proof: Proof, mode: Mode): Promise<number> {
  const orders = permutations(proof.deliveries);
  for (const order of orders) await sameIn(proof, once(order), mode);
  return orders.length;
}

/** Random orders. */
export async function randomOrders(proof: Proof, mode: Mode, random: RandomOrders): Promise<number> {
  return await inRandomOrders(once(proof.deliveries), random, (sent) => sameIn(proof, sent, mode));
}

/** Random orders of everything on two endpoints. */
export async function randomOrdersTwice(proof: Proof, mode: Mode, random: RandomOrders): Promise<number> {
  return await inRandomOrders(twice(proof.deliveries), random, (sent) => sameIn(proof, sent, mode));
}

/** Several workers, none of which commits before all have written; each delivery comes first once. */
export async function sideBySide({ stage, deliveries, expected }: Proof, mode: Mode): Promise<number> {
  for (const order of rotations(deliveries)) {
    const sent = twice(order);
    // A worker takes several events only where it takes batches; more than eight add nothing but time.
    const workers = mode === 'alone' ? Math.min(sent.length, 8) : Math.min(order.length, 4);
    const run = await stage.sideBySide(sent, mode, workers);
    expectSame(expected, run, [
      `delivered: ${namesOf(sent)}`,
      `then handled by ${workers} workers at once, each of which wrote before any of them committed`,
    ]);
  }
  return deliveries.length;
}

/** The connection cut after the first statement, after the second, and so on until there are no more. */
export async function cutAfterEachStatement(proof: Proof, mode: Mode): Promise<number> {
  const { stage, deliveries, expected } = proof;
  const sent = once(deliveries);
  const steps = mode === 'alone' ? await stepsOf(proof, sent) : [];
  for (let statements = 0; ; statements += 1) {
    const run = await stage.interrupted(sent, mode, statements);
    if (!run) return statements;
    const how = [
      `delivered: ${namesOf(sent)}`,
      `the connection was cut when statement ${statements + 1} had run, counted over all events, BEGIN and COMMIT among them`,
    ];
    const before = run.left && steps[run.left.finished];
    if (run.left && before) {
      const difference = differenceOf(before, run.left.end);
      if (difference !== null) {
        const happened = 'an attempt failed and left something behind: it was written outside of its transaction';
        throw new Error([happened, ...how.map(indented), difference].join('\n'));
      }
    }
    expectSame(expected, run, how);
  }
}

/** What is there after none, one, two ... of the deliveries. */
async function stepsOf({ stage }: Proof, sent: readonly Sent[]): Promise<readonly EndState[]> {
  const steps: EndState[] = [];
  for (let count = 0; count <= sent.length; count += 1) {
    steps.push((await stage.oneByOne(sent.slice(0, count), 'alone')).end);
  }
  return steps;
}

async function sameIn({ stage, expected }: Proof, sent: readonly Sent[], mode: Mode): Promise<void> {
  const run = mode === 'alone' ? await stage.oneByOne(sent, mode) : await stage.allAtOnce(sent, mode);
  const how = mode === 'alone' ? [] : ['then handled in one batch'];
  expectSame(expected, run, [`delivered: ${namesOf(sent)}`, ...how]);
}

function expectSame(expected: EndState, run: Run, how: readonly string[]): void {
  expectFinished(run, how.join('\n  '));
  const difference = differenceOf(expected, run.end);
  if (difference === null) return;
  throw new Error(
    ['the end differs from the one of the order given', ...how.map(indented), difference, legend].join('\n'),
  );
}

function expectFinished(run: Run, how: string): void {
  if (run.unfinished.length === 0) return;
  throw new Error(['not every event was finished', indented(how), ...run.unfinished.map(indented)].join('\n'));
}

function namesOf(sent: readonly Sent[]): string {
  return sent
    .map(({ delivery, endpoint }) => (endpoint === endpoints[0] ? delivery.name : `${delivery.name} (other endpoint)`))
    .join(', ');
}

function indented(line: string): string {
  return `  ${line}`;
}

const legend = '  (- is what the order given ended with, + is what there was instead)';
