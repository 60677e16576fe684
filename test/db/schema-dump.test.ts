import { describe, expect, it } from 'vitest';
import { dumpSchema } from '../../packages/db/scripts/dump-schema.ts';
import { adminQuery } from '../support/admin-query.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';

describe('migrations/schema.sql', () => {
  it('is the whole schema: a database made from it dumps the same', async () => {
    const migrated = await createTestDatabase();
    const loaded = await createEmptyDatabase();
    try {
      const dump = await dumpSchema(migrated.url);
      expect(dump).toContain('create table webhook_inbox (');
      await adminQuery(loaded.url, dump);
      expect(await dumpSchema(loaded.url)).toBe(dump);
    } finally {
      await migrated.drop();
      await loaded.drop();
    }
  });

  it('is never silently incomplete: a kind of object that the dump does not know is an error', async () => {
    const { url, drop } = await createEmptyDatabase();
    try {
      await adminQuery(url, "create type mood as enum ('good', 'bad')");
      await expect(dumpSchema(url)).rejects.toThrow('type mood');
    } finally {
      await drop();
    }
  });
});
