import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';

export const fullDisk: Fault = {
  name: 'disk full',
  does: 'a file takes all the room that is left on the disk of the database, for 3 s; then it is removed',
  lane: 'database',
  needsSmallDisk: true,
  async inject({ home, database }) {
    const filler = join(home.database, 'filler');
    try {
      await fill(filler);
      await pause(3_000);
    } finally {
      await rm(filler, { force: true });
    }
    // It may have crashed for want of room for its log.
    await database.up();
    return true;
  },
};

/** As much as there is room for: the server may take or give some of it meanwhile. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const bytes of [64 * mebibyte, mebibyte, 4096]) {
      const block = Buffer.alloc(bytes);
      // Until there is no room.
      while (await file.write(block).then(({ bytesWritten }) => bytesWritten === bytes, isNoRoom)) continue;
    }
  } finally {
    await file.close();
  }
}

const mebibyte = 2 ** 20;

function isNoRoom(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
  throw error;
}
