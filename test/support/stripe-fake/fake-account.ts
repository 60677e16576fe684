import type { FakeClock } from './fake-clock.ts';
import { resources, type StripeObject } from './resources.ts';

export interface EmitOptions {
  readonly id?: string;
  /** Unix seconds. Default: the clock. */
  readonly created?: number;
  readonly apiVersion?: string;
  /** The idempotency key of the call that caused it. */
  readonly idempotencyKey?: string | null;
  readonly previousAttributes?: Readonly<Record<string, unknown>>;
}

/** The data of one account: nothing of it is seen by another. */
export interface FakeAccount {
  /** null: the platform itself. */
  readonly id: string | null;
  /** Writes an object, over the one with its id; `object`, `created`, `livemode`, `metadata` are filled in. Makes no event. */
  readonly put: (resource: string, object: Readonly<Record<string, unknown>>) => StripeObject;
  readonly remove: (resource: string, id: string) => void;
  readonly get: (resource: string, id: string) => StripeObject | undefined;
  /** Oldest first. */
  readonly all: (resource: string) => readonly StripeObject[];
  /** Makes an event about the object as it is given: listed by `/v1/events` at once, and handed to the sender. */
  readonly emit: (type: string, object: Readonly<Record<string, unknown>>, options?: EmitOptions) => StripeObject;
  /** A second Event object that tells the same fact under an id of its own, as Stripe may make one. */
  readonly twin: (event: StripeObject) => StripeObject;
}

interface Surroundings {
  readonly clock: FakeClock;
  readonly nextId: (prefix: string) => string;
  readonly onEvent: (account: string | null, event: StripeObject) => void;
}

export function createFakeAccount(id: string | null, { clock, nextId, onEvent }: Surroundings): FakeAccount {
  const stores = new Map<string, Map<string, StripeObject>>();
  const store = (resource: string) => {
    if (!(resource in resources)) throw new Error(`the Stripe fake has no ${resource}`);
    const known = stores.get(resource) ?? new Map<string, StripeObject>();
    stores.set(resource, known);
    return known;
  };
  const seconds = () => Math.floor(clock.now() / 1000);

  const put: FakeAccount['put'] = (resource, object) => {
    const { object: name = resource, prefix = 'obj' } = resources[resource] ?? {};
    const objectId = typeof object['id'] === 'string' ? object['id'] : nextId(prefix);
    const born = store(resource).get(objectId)?.['created'] ?? seconds();
    const whole = { object: name, created: born, livemode: false, metadata: {}, ...object, id: objectId };
    store(resource).set(objectId, whole);
    return whole;
  };

  const emit: FakeAccount['emit'] = (type, object, options = {}) => {
    const event = {
      id: options.id ?? nextId('evt'),
      object: 'event',
      api_version: options.apiVersion ?? '2026-10-28.endive',
      created: options.created ?? seconds(),
      data: {
        // An event shows the object as it was, whatever becomes of it.
        object: structuredClone(object),
        ...(options.previousAttributes && { previous_attributes: options.previousAttributes }),
      },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: options.idempotencyKey ?? null },
      type,
    };
    return publish(event);
  };

  const publish = (event: StripeObject) => {
    store('events').set(event.id, event);
    onEvent(id, event);
    return event;
  };

  return {
    id,
    put,
    remove: (resource, objectId) => void store(resource).delete(objectId),
    get: (resource, objectId) => store(resource).get(objectId),
    all: (resource) => [...store(resource).values()],
    emit,
    twin: (event) => publish({ ...event, id: nextId('evt') }),
  };
}
