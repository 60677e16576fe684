import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { startStripeFake } from './start-stripe-fake.ts';

// The fake as a process of its own: `PORT` for the API, `CONTROL_PORT` to put objects in, emit events and move the clock.
const fake = await startStripeFake({ port: Number(process.env['PORT'] ?? 0) });

interface Order {
  readonly account?: string;
  readonly put?: { readonly resource: string; readonly object: Readonly<Record<string, unknown>> };
  readonly emit?: { readonly type: string; readonly object: Readonly<Record<string, unknown>> };
  readonly endpoint?: Parameters<typeof fake.endpoint>[0];
  readonly drop?: boolean;
  readonly advanceMs?: number;
}

const control = createServer((request, response) => {
  void (async () => {
    const order = (await json(request)) as Order;
    const account = fake.account(order.account);
    if (order.put) account.put(order.put.resource, order.put.object);
    if (order.endpoint) fake.endpoint(order.endpoint);
    if (order.drop !== undefined) fake.sender.drop(order.drop);
    if (order.emit) account.emit(order.emit.type, order.emit.object);
    if (order.advanceMs !== undefined) await fake.clock.advance(order.advanceMs);
    response.end(JSON.stringify({ nowMs: fake.clock.now(), calls: fake.calls.length, effects: fake.effects }));
  })();
});
control.listen(Number(process.env['CONTROL_PORT'] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ api: fake.url, control: control.address() })}\n`);
});
process.once('SIGTERM', () => {
  control.close();
  void fake.close().then(() => process.exit(0));
});
