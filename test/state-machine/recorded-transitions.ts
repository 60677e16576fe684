import type { Database } from '@mailroom/db';

/** Notes from now on where rows of webhook_inbox come from and go to, whoever moves them. */
export async function recordTransitions({ pool }: Database): Promise<void> {
  await pool.query('create table recorded_transitions (came text not null, went text not null)');
  await pool.query(`
    create function place_of(i webhook_inbox) returns text language sql immutable as $$
      select case
        when i.state is null then 'none'
        when i.state <> 'pending' then i.state
        when i.suspect then case when i.lease_token is null then 'suspect' else 'suspect leased' end
        when i.lease_token is null then 'waiting'
        else 'leased'
      end
    $$`);
  await pool.query(`
    create function record_transition() returns trigger language plpgsql as $$
    begin
      if place_of(old) <> place_of(new) or old.lease_token <> new.lease_token then
        insert into recorded_transitions values (place_of(old), place_of(new));
      end if;
      return null;
    end $$`);
  await pool.query(`
    create trigger record_transition after insert or update or delete on webhook_inbox
    for each row execute function record_transition()`);
}

/** What was noted since the last call, each once, as "from -> to", sorted. */
export async function takeRecorded({ pool }: Database): Promise<readonly string[]> {
  const { rows } = await pool.query<{ came: string; went: string }>(
    'delete from recorded_transitions returning came, went',
  );
  return [...new Set(rows.map(({ came, went }) => `${came} -> ${went}`))].toSorted();
}
