import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choosePorts } from '../src/ports.ts';

const host = '127.0.0.1';
let other: Server;
let taken: number;
beforeEach(async () => {
  other = createServer();
  taken = await new Promise((resolve) => {
    other.listen(0, host, () => {
      const address = other.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
});
afterEach(() => other.close());

describe('choosePorts', () => {
  it('finds free ports where it is told 0, each once', async () => {
    const { deliveries, ingestAdmin, workerAdmin } = await choosePorts(host, { port: 0, adminPort: 0 }, 2);
    const all = [deliveries, ingestAdmin, ...workerAdmin];
    expect(all).toHaveLength(4);
    expect(new Set(all).size).toBe(4);
    expect(Math.min(...all)).toBeGreaterThan(0);
  });

  it('says which port is taken and which variable chooses another', async () => {
    const choice = choosePorts(host, { port: taken, adminPort: 0 }, 2);
    await expect(choice).rejects.toMatchObject({ code: 'port_unusable' });
    await expect(choice).rejects.toThrow(new RegExp(`port ${taken} is in use.* PORT=\\d+ npm start`));
  });

  it('says all that is wrong at once', async () => {
    const choice = choosePorts(host, { port: taken, adminPort: 65_534 }, 2);
    await expect(choice).rejects.toThrow(/in use[^]*port 65536 does not exist.* ADMIN_PORT=/);
  });

  it('refuses one port for two uses', async () => {
    const { deliveries } = await choosePorts(host, { port: 0, adminPort: 0 }, 2);
    await expect(choosePorts(host, { port: deliveries, adminPort: deliveries - 1 }, 2)).rejects.toThrow('wanted twice');
  });
});
