/*
 * The lease protocol of packages/inbox and apps/worker, for Spin: two workers, two events, and every interleaving of their steps
 * with leases that run out and are renewed, crashes, broken connections, failing handlers and shutdowns.
 *
 * One atomic step here is one statement there, or several between which nobody could see a difference. A worker's own variables may
 * be stale; what is true lies in row[]. Left out on purpose: due times and backoff (a retry is due at once), pauses and turns (both
 * set rows aside under the same lease), and snooze, which a handler may ask for without end.
 *
 * test/model/lease-model.test.ts runs it as it is, and with these mutations, which must be found wrong: NO_RECHECK, NO_FENCE (of the
 * completion), NO_SETTLE_FENCE, RECORD_FIRST, NO_TAKEOVER, UNBOUNDED_INFRA, COUNT_LATE. ONLY_EFFECTS looks at effects alone.
 * Of the re-check and the completion's fence each alone is enough for "never two effects" (NO_FENCE, and NO_RECHECK with ONLY_EFFECTS,
 * are found right); without the re-check handlers are begun in vain, without both an event has two effects.
 */
#define EVENTS 2
#define WORKERS 2
#define MAX_ATTEMPTS 2
#define MAX_INFRA 1
/* Crashes, broken connections, shutdowns and renewals of a lease that had run out unnoticed; all together, so that every run ends. */
#ifndef FAULTS
#define FAULTS 1
#endif

#define PENDING 0
#define PROCESSED 1
#define EXHAUSTED 2

/* How an attempt failed: by its handler, or by infrastructure, a broken connection for one, which gives the attempt back. */
#define BY_HANDLER 1
#define BY_INFRA 2
#define BROKEN 3

/* Sessions that hold row locks: those of the workers, and those whose worker is gone or has lost the connection to them. */
#define SESSION(w) (1 + (w))
#define ORPHAN(w) (1 + WORKERS + (w))

typedef Row {
  byte state;
  byte attempts;
  byte infra;
  bool suspect;
  byte token;  /* 0: no lease */
  bool over;   /* the lease has run out */
  byte lock;   /* the session that holds the row; 0: nobody */
  byte effects /* committed ones; nobody decides by it, it is what is proved */
}
Row row[EVENTS];

/* `completes`: the events, as bits, that a session has done and completed, uncommitted. */
typedef Holder { byte token; byte completes }
Holder worker[WORKERS];
typedef Orphan { bool open; bool sent; byte completes }
Orphan orphan[WORKERS];

/* The handler of one event may fail; that of the other is good, and must not suffer. */
byte troubled;

byte faults = FAULTS;

#define ended(e) (row[e].state != PENDING)
#define ours(w, e) (row[e].state == PENDING && row[e].token == worker[w].token)
#ifdef NO_TAKEOVER
#define free(e) (row[e].token == 0)
#else
#define free(e) (row[e].token == 0 || row[e].over)
#endif
#define due(e) (row[e].state == PENDING && row[e].lock == 0 && free(e))
#define ready(e) (due(e) && !row[e].suspect)
#define suspected(e) (due(e) && row[e].suspect)

/* The promise, at every commit: the effect and the record of it together, and never two effects. */
inline check(e) {
  assert(row[e].effects <= 1);
  assert((row[e].state == PROCESSED) == (row[e].effects == 1));
  assert(row[e].attempts <= MAX_ATTEMPTS)
}

inline endLease(e) { row[e].token = 0; row[e].over = false }

inline unlock(session) {
  if :: row[0].lock == session -> row[0].lock = 0 :: else -> skip fi;
  if :: row[1].lock == session -> row[1].lock = 0 :: else -> skip fi
}

inline applyOne(e) { row[e].effects++; row[e].state = PROCESSED; endLease(e); check(e) }

inline apply(bits) {
  if :: bits & 1 -> applyOne(0) :: else -> skip fi;
  if :: bits & 2 -> applyOne(1) :: else -> skip fi
}

/* A token that nobody holds or remembers, as a random UUID is. */
inline freshToken(w) {
  worker[w].token = 0;
  fresh = 1;
  do
  :: fresh == row[0].token || fresh == row[1].token || fresh == worker[0].token || fresh == worker[1].token -> fresh++
  :: else -> break
  od;
  worker[w].token = fresh;
  fresh = 0
}

/* sql/claim.ts, one row: buried at its limit, else a dead lease makes a suspect, which is later claimed alone. */
inline claimRow(w, e, alone) {
  if
  :: row[e].attempts >= MAX_ATTEMPTS -> row[e].state = EXHAUSTED; row[e].suspect = false; endLease(e); check(e)
  :: else ->
    if
    :: row[e].token != 0 && !alone -> row[e].suspect = true; endLease(e)
    :: else ->
#ifndef COUNT_LATE
      row[e].attempts++;
#endif
      row[e].token = worker[w].token;
      row[e].over = false;
      held[e] = true;
      last[e] = (row[e].attempts >= MAX_ATTEMPTS);
      spent[e] = (row[e].infra >= MAX_INFRA)
    fi
  fi
}

/* A session goes on without its worker: it will roll back, or commit what it was told to. */
inline abandon(w, told) {
  if
  :: row[0].lock == SESSION(w) || row[1].lock == SESSION(w) ->
    if :: row[0].lock == SESSION(w) -> row[0].lock = ORPHAN(w) :: else -> skip fi;
    if :: row[1].lock == SESSION(w) -> row[1].lock = ORPHAN(w) :: else -> skip fi;
    orphan[w].open = true;
    orphan[w].sent = told;
    orphan[w].completes = worker[w].completes
  :: else -> skip
  fi;
  worker[w].completes = 0
}

inline forget(w) {
  worker[w].token = 0;
  held[0] = false; held[1] = false;
  last[0] = false; last[1] = false;
  spent[0] = false; spent[1] = false;
  why = 0; unknown = false
}

/* The process dies and is started again. */
#define mayFault(w) (faults > 0 && !orphan[w].open)
inline crash(w, told) { faults--; abandon(w, told); forget(w) }

/* sql/lock.ts waits for the row and looks at its newest version; then its handler runs. */
inline lockAndWork(w, e) {
  if
  :: held[e] -> atomic {
      row[e].lock == 0 ->
      if
#ifndef NO_RECHECK
      :: !ours(w, e) -> held[e] = false
      :: else ->
#else
      :: true ->
#endif
        row[e].lock = SESSION(w);
#ifndef ONLY_EFFECTS
        /* A handler is never begun for an event that is done or somebody else's, even where the completion would undo it. */
        assert(ours(w, e));
#endif
        if
        :: worker[w].completes = worker[w].completes | (1 << e)
        :: e == troubled -> why = BY_HANDLER
        :: e == troubled -> why = BY_INFRA
        fi
      fi
    }
  :: else -> skip
  fi
}

/* sql/complete.ts: fewer rows than done means that a lease was lost. Then, and where something failed, everything rolls back. */
inline completeOrRollBack(w) {
#ifndef NO_FENCE
  if
  :: (worker[w].completes & 1) && !ours(w, 0) -> why = BY_HANDLER
  :: (worker[w].completes & 2) && !ours(w, 1) -> why = BY_HANDLER
  :: else -> skip
  fi;
#endif
  if :: why != 0 -> unlock(SESSION(w)); worker[w].completes = 0 :: else -> skip fi
}

inline committed(w) {
  apply(worker[w].completes);
  if :: worker[w].completes & 1 -> held[0] = false :: else -> skip fi;
  if :: worker[w].completes & 2 -> held[1] = false :: else -> skip fi;
  unlock(SESSION(w));
  worker[w].completes = 0
}

/*
 * The end of a processing transaction. The worker may die before COMMIT or after it was sent; or the connection breaks while COMMIT
 * is under way, and what becomes of it the server decides later.
 */
inline endTransaction(w) {
  atomic {
    completeOrRollBack(w);
    if
    :: why != 0 || worker[w].completes == 0 -> unlock(SESSION(w))
    :: why == 0 && worker[w].completes != 0 -> committed(w)
    :: mayFault(w) -> crash(w, false)
    :: mayFault(w) && why == 0 -> crash(w, true)
    :: mayFault(w) && why == 0 && worker[w].completes != 0 ->
      faults--; abandon(w, true); unknown = true; why = BROKEN
    fi
  }
}

/* sql/settle.ts: waits for whoever has the row, then writes only under the lease. */
inline settle(w, e) {
  atomic {
    row[e].lock == 0 ->
    if
#ifndef NO_SETTLE_FENCE
    :: !ours(w, e) -> skip
    :: else ->
#else
    :: true ->
#endif
      /* A broken connection may be the event's own doing. */
      row[e].suspect = (why == BROKEN);
      if
      :: why >= BY_INFRA && !spent[e] ->
#ifndef COUNT_LATE
        row[e].attempts--;
#endif
#ifndef UNBOUNDED_INFRA
        row[e].infra++;
#endif
        row[e].state = PENDING
      :: why == BY_HANDLER && !last[e] ->
#ifdef COUNT_LATE
        row[e].attempts++;
#endif
        row[e].state = PENDING
      :: else -> row[e].state = EXHAUSTED; row[e].suspect = false
      fi;
      endLease(e)
    fi;
    held[e] = false;
    why = 0
  }
}

/* record-end.ts: reads the row back first where a COMMIT got no answer. Or nothing could be written, and the lease runs out. */
inline recordEnd(w, e) {
  if
  :: unknown -> atomic {
      row[e].lock == 0 ->
      unknown = false;
      if :: !ours(w, e) -> held[e] = false; why = 0 :: else -> skip fi
    }
  :: true -> skip
  fi;
  if
  :: why != 0 && !unknown -> settle(w, e)
  :: else -> skip
  fi;
  atomic { held[e] = false; why = 0; unknown = false }
}

/* process.ts: one event in a transaction of its own. */
inline processAlone(w, e) {
  if
  :: held[e] ->
    lockAndWork(w, e);
#ifdef RECORD_FIRST
    atomic { if :: held[e] -> row[e].state = PROCESSED; endLease(e); row[e].lock = 0; worker[w].completes = 0; check(e) :: else -> skip fi };
#else
    endTransaction(w);
#endif
    if :: why != 0 -> recordEnd(w, e) :: else -> held[e] = false fi
  :: else -> skip
  fi
}

/*
 * process-batch.ts: both in one transaction. When anything fails everything rolls back, and each is done alone. The transaction may
 * also end before the second is begun, which stays held.
 */
inline processTogether(w) {
  lockAndWork(w, 0);
  if
  :: why == 0 -> lockAndWork(w, 1)
  :: true -> skip
  fi;
  endTransaction(w);
  atomic { why = 0; unknown = false }
}

/* sql/return.ts: what was claimed and not begun, when the worker is told to stop. SKIP LOCKED, under the lease. */
inline giveBack(w, e) {
  if
  :: held[e] && ours(w, e) && row[e].lock == 0 -> row[e].attempts--; endLease(e)
  :: else -> skip
  fi;
  held[e] = false
}

inline workOff(w) {
  if
  :: atomic { mayFault(w) -> crash(w, false) }
  :: atomic { faults > 0 && (held[0] || held[1]) -> faults--; giveBack(w, 0); giveBack(w, 1) }
  :: held[0] && held[1] -> processTogether(w)
  :: true -> skip
  fi;
  processAlone(w, 0);
  processAlone(w, 1);
  atomic { forget(w) }
}

proctype Worker(byte w) {
  bool held[EVENTS];
  bool last[EVENTS];
  bool spent[EVENTS];
  byte why;
  bool unknown;
  byte fresh;

end_idle:
  do
  :: atomic {
      ready(0) || ready(1) ->
      freshToken(w);
      if
      :: ready(0) -> claimRow(w, 0, false)
      :: ready(1) -> claimRow(w, 1, false)
      :: ready(0) && ready(1) -> claimRow(w, 0, false); claimRow(w, 1, false)
      fi
    };
    workOff(w)
  :: atomic {
      suspected(0) || suspected(1) ->
      freshToken(w);
      if
      :: suspected(0) -> claimRow(w, 0, true)
      :: suspected(1) -> claimRow(w, 1, true)
      fi
    };
    workOff(w)
  od
}

/* What becomes of a session whose worker is gone. */
inline finish(w) {
  if
  :: orphan[w].sent -> apply(orphan[w].completes)
  :: true -> skip
  fi;
  unlock(ORPHAN(w));
  orphan[w].completes = 0;
  orphan[w].sent = false;
  orphan[w].open = false
}

active proctype Server() {
end_server:
  do
  :: atomic { orphan[0].open -> finish(0) }
  :: atomic { orphan[1].open -> finish(1) }
  od
}

/* Leases run out whenever they like, for a worker may stall at any point and for as long as it likes. */
active proctype Clock() {
end_clock:
  do
  :: atomic { row[0].token != 0 && !row[0].over -> row[0].over = true }
  :: atomic { row[1].token != 0 && !row[1].over -> row[1].over = true }
  od
}

/* sql/renew.ts, by the lease keeper of a worker that lives, beside whatever else it does. */
#define kept(e) (row[e].token == worker[0].token || row[e].token == worker[1].token)
#define renewable(e) (faults > 0 && row[e].over && row[e].lock == 0 && row[e].token != 0 && kept(e))

active proctype Keeper() {
end_keeper:
  do
  :: atomic { renewable(0) -> faults--; row[0].over = false }
  :: atomic { renewable(1) -> faults--; row[1].over = false }
  od
}

init {
  atomic { if :: troubled = 0 :: troubled = 1 fi; run Worker(0); run Worker(1) }
}

/* No run goes on for ever, so no fairness has to be assumed but that whoever can go on does. */
ltl ends { <> (ended(0) && ended(1)) }
