import { type Place, places, type Transition, transitions } from './transitions.ts';

/** The generated part of docs/state-machine.md: the picture, the places and every transition. */
export function renderStateMachine(): string {
  return [
    ['```mermaid', 'stateDiagram-v2', ...edges(), '```'].join('\n'),
    [
      '| place | in the columns |',
      '|---|---|',
      ...Object.entries(places).map(([name, what]) => `| ${name} | ${what} |`),
    ].join('\n'),
    ['| from | to | when | statement |', '|---|---|---|---|', ...rows()].join('\n'),
  ].join('\n\n');
}

/** Suspects go the ways of the others, so the picture does without them. */
function edges(): readonly string[] {
  const drawn = transitions
    .map(({ from, to }) => [plain(from), plain(to)] as const)
    .filter(([from, to]) => from !== to);
  return [...new Set(drawn.map(([from, to]) => `  ${from} --> ${to}`))];
}

function plain(place: Place): string {
  if (place === 'none') return '[*]';
  return place.startsWith('suspect') ? (place === 'suspect' ? 'waiting' : 'leased') : place;
}

/** One row for all that differ in where they come from only. */
function rows(): readonly string[] {
  const grouped = Map.groupBy(transitions, ({ to, by, when }: Transition) => `${to} | ${when} | \`${by}\``);
  return Array.from(grouped, ([rest, ways]) => `| ${ways.map(({ from }) => from).join(', ')} | ${rest} |`);
}
