import { loadConfig } from '@mailroom/config';
import { openDatabase } from '@mailroom/db';
import { createReceiver } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { makeWorkerUtils } from 'graphile-worker';
import { Pool } from 'pg';
import { type BenchEvent, benchEvents } from '../bench-event.ts';
import { serveTask } from '../bench-process.ts';
import { graphileLogger, graphileTask } from '../queues/graphile-settings.ts';
import { deliveryOf } from '../queues/mailroom-queue.ts';
import { bossQueue, openBoss } from '../queues/pg-boss-settings.ts';
import { floorReceiver } from './floor-receivers.ts';
import type { ReceiveJob, ReceiveResult, ReceiveWay } from './receive-job.ts';

interface Keeper {
  keep(event: BenchEvent): Promise<unknown>;
  close(): Promise<unknown>;
}

serveTask<ReceiveResult>(async (job: ReceiveJob) => {
  const keeper = await openKeeper(job.url, job.way);
  const events = benchEvents(0, job.warm + job.count);
  const latencies = new Float64Array(job.count);
  return {
    run: async (warm) => {
      await callAll(0, job.warm);
      warm();
      const startedAt = performance.now();
      await callAll(job.warm, job.warm + job.count);
      return { seconds: (performance.now() - startedAt) / 1000, latencies };
    },
    close: async () => {
      await keeper.close();
    },
  };

  async function callAll(from: number, to: number): Promise<void> {
    let next = from;
    const caller = async () => {
      while (next < to) {
        const at = next;
        next += 1;
        const startedAt = performance.now();
        await keeper.keep(events[at] as BenchEvent);
        if (at >= job.warm) latencies[at - job.warm] = performance.now() - startedAt;
      }
    };
    await Promise.all(Array.from({ length: job.callers }, caller));
  }
});

async function openKeeper(url: string, way: ReceiveWay): Promise<Keeper> {
  switch (way.kind) {
    case 'mailroom':
      return mailroomKeeper(url);
    case 'floor': {
      const pool = new Pool({ connectionString: url, max: way.connections });
      const receiver = floorReceiver(way.floor, pool);
      return { keep: (event) => receiver.receive(deliveryOf(event)), close: () => pool.end() };
    }
    case 'graphile-worker': {
      const pool = new Pool({ connectionString: url, max: way.connections });
      pool.on('error', () => undefined);
      pool.on('connect', (client) => client.on('error', () => undefined));
      const utils = await makeWorkerUtils({ pgPool: pool, logger: graphileLogger });
      return {
        keep: ({ body }) => utils.addJob(graphileTask, JSON.parse(body.toString())),
        close: async () => {
          await utils.release();
          await pool.end();
        },
      };
    }
    case 'pg-boss': {
      const boss = await openBoss(url, way.connections);
      return {
        keep: ({ body }) => boss.send(bossQueue, JSON.parse(body.toString()) as object),
        close: () => boss.stop({ graceful: false }),
      };
    }
  }
}

/** The receiver with the ingestor's defaults. */
function mailroomKeeper(url: string): Keeper {
  const env = { DATABASE_URL: url, STRIPE_WEBHOOK_SECRET: 'whsec_bench0secret0bench0secret0bench0secret' };
  const config = loadConfig('ingest', { env, cwd: process.cwd(), providers });
  const database = openDatabase({
    url,
    applicationName: 'mailroom-ingest',
    maxConnections: config.database.maxConnections,
    connectTimeoutMs: 10_000,
    queryTimeoutMs: 5_000,
    onIdleError: () => undefined,
  });
  const receiver = createReceiver(database, { ...config.ingest, maxAttempts: config.maxAttempts, log: silentLogger });
  return {
    keep: (event) => receiver.receive(deliveryOf(event)),
    close: async () => {
      await receiver.close();
      await database.close();
    },
  };
}
