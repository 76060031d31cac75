/** The sweep runs every minute. A hold may outlive its expiry by two runs. */
const TWO_SWEEPS_MS = 120_000;

/** The row of `export_time`: when the closing state was. */
export function exportTime(exportedMs: number): string {
  return (
    `SELECT CAST(${exportedMs} AS bigint) AS exported_ms, CAST(${TWO_SWEEPS_MS} AS bigint) AS sweeps_ms, ` +
    `'${textOf(exportedMs)}' AS exported_at`
  );
}

/** The row of `opening_time`: when the earlier state was. */
export function openingTime(openedMs: number): string {
  return `SELECT CAST(${openedMs} AS bigint) AS opened_ms, '${textOf(openedMs)}' AS opened_at`;
}

/** Whole seconds, as exports are. */
function textOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
