import type { PostedEvent } from './checker/posted-event.ts';
import type { PlannedEvent } from './stories.ts';

/** What was posted and what came back, kept by the client: the only truth that the database is held to. */
export interface Books {
  /** A post is about to leave. */
  posted(event: PlannedEvent): void;
  /** A whole answer came, or none: the status, or why there is none. */
  answered(event: PlannedEvent, answer: Answer): void;
  readonly events: ReadonlyMap<string, KeptEvent>;
  readonly posts: () => number;
  readonly acknowledged: () => number;
  /** Posts by answer. */
  readonly answers: ReadonlyMap<Answer, number>;
  /** Answers that should not have been. */
  readonly problems: readonly string[];
}

export type Answer = number | 'refused' | 'reset' | 'timeout' | 'broken';

export interface KeptEvent extends PostedEvent {
  readonly firstPostAtMs: number;
  readonly firstAcknowledgedAtMs: number | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function openBooks(): Books {
  const events = new Map<string, Mutable<KeptEvent>>();
  const answers = new Map<Answer, number>();
  const problems: string[] = [];
  let posts = 0;
  let acknowledged = 0;
  return { posted, answered, events, posts: () => posts, acknowledged: () => acknowledged, answers, problems };

  function posted(event: PlannedEvent): void {
    posts += 1;
    const kept = events.get(event.id);
    if (kept) {
      kept.posts += 1;
      return;
    }
    const firstPostAtMs = performance.now();
    events.set(event.id, { ...event, posts: 1, acknowledged: 0, firstPostAtMs, firstAcknowledgedAtMs: null });
  }

  function answered({ id }: PlannedEvent, answer: Answer): void {
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    if (typeof answer !== 'number' || answer === 503) return;
    const kept = events.get(id);
    if (kept === undefined || answer < 200 || answer > 299) {
      problems.push(`${id} was answered ${answer}`);
      return;
    }
    acknowledged += 1;
    kept.acknowledged += 1;
    kept.firstAcknowledgedAtMs ??= performance.now();
  }
}
