import type { ClaimedEvent } from './claim.ts';
import type { EndpointName } from './sql/list-endpoints.ts';

/** One endpoint's turn in a claim: at most `limit` events that are due since `from`. */
export interface Turn extends EndpointName {
  readonly from: Date | null;
  readonly limit: number;
}

export interface EndpointTurns {
  /** The endpoints of the next claim and how much each may give. */
  next(limit: number, sweep: boolean): readonly Turn[];
  /** What a claim of those turns brought. */
  came(turns: readonly Turn[], claimed: readonly ClaimedEvent[]): void;
  /** The endpoints that have pending events now. */
  listed(endpoints: readonly EndpointName[]): void;
}

interface Known extends EndpointName {
  reached: Date | null;
  /** Events it gave the last time it was asked: the more, the later it is asked again. */
  gave: number;
  askedAt: number;
  idleRounds: number;
}

/**
 * Which endpoints a claim asks, and in which order: those that gave little come first, so that a flood waits behind a trickle and not
 * the other way round; floods share what is left. An endpoint is asked from the due time that it has reached, less some slack.
 */
export function createEndpointTurns(): EndpointTurns {
  const known = new Map<string, Known>();
  let asked = 0;
  return { next, came, listed };

  function next(limit: number, sweep: boolean): readonly Turn[] {
    const chosen = [...known.values()].toSorted((a, b) => a.askedAt - b.askedAt).slice(0, askAtOnce);
    const ordered = chosen.toSorted((a, b) => a.gave - b.gave);
    const floods = ordered.filter(({ gave }) => gave > 0).length;
    const share = Math.max(1, Math.ceil(limit / Math.max(1, floods)));
    asked += 1;
    for (const one of ordered) one.askedAt = asked;
    return ordered.map(({ provider, endpoint, reached }) => ({
      provider,
      endpoint,
      from: sweep || !reached ? null : new Date(reached.getTime() - slackMs),
      limit: share,
    }));
  }

  function came(turns: readonly Turn[], claimed: readonly ClaimedEvent[]): void {
    const gave = new Map<string, number>();
    for (const event of claimed) {
      const name = nameOf(event);
      gave.set(name, (gave.get(name) ?? 0) + 1);
      const one = known.get(name);
      if (one && (!one.reached || event.availableAt > one.reached)) one.reached = event.availableAt;
    }
    for (const turn of turns) {
      const one = known.get(nameOf(turn));
      if (one) one.gave = gave.get(nameOf(turn)) ?? 0;
    }
  }

  function listed(endpoints: readonly EndpointName[]): void {
    for (const one of known.values()) one.idleRounds += 1;
    for (const { provider, endpoint } of endpoints) {
      const name = nameOf({ provider, endpoint });
      const one = known.get(name) ?? { provider, endpoint, reached: null, gave: 0, askedAt: 0, idleRounds: 0 };
      one.idleRounds = 0;
      known.set(name, one);
    }
    // An endpoint that was idle for long is found again by the next list, a second later at most.
    for (const [name, one] of known) if (one.idleRounds > forgetAfterRounds) known.delete(name);
  }
}

function nameOf({ provider, endpoint }: EndpointName): string {
  return `${provider}/${endpoint}`;
}

/** Endpoints asked in one claim. Each costs one probe of the index, some ten microseconds when there is nothing. */
const askAtOnce = 64;
/** Rows that commit out of the order of their due times are still found by the cursor when they are no later than this. */
const slackMs = 2_000;
const forgetAfterRounds = 600;
