import { messageOf } from '@mailroom/kernel';
import type { OutgoingMessage, SendResult, Sink } from '@mailroom/outbox';
import { jetstream } from '@nats-io/jetstream';
import { connect, credsAuthenticator, headers, type NatsConnection, tokenAuthenticator } from '@nats-io/transport-node';
import { envelopeOf } from '../envelope.ts';

export interface NatsSinkOptions {
  readonly name: string;
  /** `nats://host:4222`, `tls://host:4222`; several of one cluster. */
  readonly servers: readonly string[];
  /** Put before the topic to make the subject. */
  readonly subjectPrefix: string;
  /** Put before the outbox id to make `Nats-Msg-Id`, for streams that several Mailrooms publish to. */
  readonly idPrefix: string;
  readonly token: string | null;
  /** The text of a credentials file. */
  readonly credentials: string | null;
  readonly connectTimeoutMs: number;
  /** How long to wait for the acknowledgement of the stream. */
  readonly timeoutMs: number;
}

/**
 * Publishes each message to JetStream and waits until a stream has it. `Nats-Msg-Id` is the outbox id, so the stream itself drops a
 * duplicate that comes within its duplicate window (two minutes by default); consumers tell later ones by the same header.
 */
export function createNatsSink(options: NatsSinkOptions): Sink {
  let connecting: Promise<NatsConnection> | undefined;
  return {
    name: options.name,
    send: async (message, signal) => {
      const subject = options.subjectPrefix + message.topic;
      if (!subjectForm.test(subject)) return { outcome: 'permanent', reason: `"${subject}" is not a subject of NATS` };
      signal.throwIfAborted();
      const connection = await connected();
      const publishing = publish(connection, subject, message);
      // The client cannot be told to stop waiting. What it hears later says nothing new.
      publishing.catch(() => undefined);
      return await Promise.race([publishing, rejectOn(signal)]);
    },
    close: async () => {
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };

  /** One connection, opened when it is first needed; the client itself mends it when it breaks. */
  async function connected(): Promise<NatsConnection> {
    connecting ??= open();
    try {
      const connection = await connecting;
      if (!connection.isClosed()) return connection;
    } catch (error) {
      connecting = undefined;
      throw new Error(`no connection to NATS: ${messageOf(error)}`, { cause: error });
    }
    connecting = open();
    return await connecting;
  }

  function open(): Promise<NatsConnection> {
    const { servers, token, credentials, connectTimeoutMs } = options;
    return connect({
      servers: [...servers],
      name: 'mailroom',
      timeout: connectTimeoutMs,
      maxReconnectAttempts: -1,
      ...(token !== null && { authenticator: tokenAuthenticator(token) }),
      ...(credentials !== null && { authenticator: credsAuthenticator(Buffer.from(credentials)) }),
    });
  }

  async function publish(connection: NatsConnection, subject: string, message: OutgoingMessage): Promise<SendResult> {
    const id = options.idPrefix + message.id;
    const extra = headers();
    extra.set('Mailroom-Fencing-Token', message.fencingToken);
    extra.set('Mailroom-Attempt', String(message.attempt));
    const body = envelopeOf(message, id);
    const most = connection.info?.max_payload;
    if (most !== undefined && Buffer.byteLength(body) + headerRoom > most) {
      return { outcome: 'permanent', reason: `the message is larger than the ${most} bytes that the server takes` };
    }
    try {
      const { stream, seq, duplicate } = await jetstream(connection).publish(subject, body, {
        msgID: id,
        headers: extra,
        timeout: options.timeoutMs,
      });
      return { outcome: 'sent', result: { stream, seq, duplicate } };
    } catch (error) {
      // Its class is not among the names that an ES module can import.
      if (!(error instanceof Error) || error.name !== 'JetStreamNotEnabled') throw error;
      return { outcome: 'transient', reason: `no stream takes the subject ${subject}, or JetStream is off` };
    }
  }
}

// Tokens between dots, without white space and wildcards.
const subjectForm = /^[^\s.*>]+(\.[^\s.*>]+)*$/;
/** For the headers, which count against the server's limit too. */
const headerRoom = 1_024;

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no acknowledgement in time')), { once: true });
  });
}
