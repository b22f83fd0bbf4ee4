import { Gauge, type Registry } from 'prom-client';

/**
 * Adds the time of the last backup, which is read at each scrape.
 *
 * @param readMadeAtMs returns it in milliseconds; undefined if no backup is known.
 */
export function createBackupMetrics(
  registry: Registry,
  readMadeAtMs: () => Promise<number | undefined>,
): void {
  new Gauge({
    name: 'keyslot_last_backup_timestamp_seconds',
    help: 'When the last backup was made by keyslot backup create; 0 if none is known',
    registers: [registry],
    async collect() {
      this.set(((await readMadeAtMs()) ?? 0) / 1_000);
    },
  });
}
