import { PgBoss } from 'pg-boss';

export const bossQueue = 'invoice-paid';

/** Without whatever it does beside handing out jobs: maintenance, schedules, statistics, telemetry. */
export async function openBoss(url: string, max: number): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: url,
    max,
    supervise: false,
    schedule: false,
    registerInstance: false,
    monitorVacuum: false,
    openTelemetry: { enabled: false },
  });
  boss.on('error', (error) => {
    throw error;
  });
  return await boss.start();
}
