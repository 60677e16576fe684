import type { Finding } from '@mailroom/reconcile';
import { placeOf } from '../reconcile/reconciliation.ts';
import { ago, moment } from '../terminal/span.ts';
import { writeFields, writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

export function writeFindings(terminal: Terminal, findings: readonly Finding[]): void {
  const now = new Date();
  writeTable(
    terminal,
    ['ID', 'FOUND', 'ENDPOINT', 'SEEN', 'STATE', 'OBJECT', 'OURS', 'THEIRS'].map((title) => ({ title })),
    findings.map((finding) => [
      finding.id,
      finding.kind,
      placeOf(finding),
      ago(finding.lastSeenAt, now),
      stateOf(terminal, finding),
      visible(finding.objectKey),
      visible(finding.ours ?? '-'),
      visible(finding.theirs ?? '-'),
    ]),
  );
}

export function writeFinding(terminal: Terminal, finding: Finding): void {
  const now = new Date();
  const at = (moment_: Date | null) => (moment_ === null ? null : moment(moment_, now));
  writeFields(terminal, [
    ['found', finding.kind],
    ['state', stateOf(terminal, finding)],
    ['endpoint', placeOf(finding)],
    ['account', finding.account === '' ? null : visible(finding.account)],
    ['object', visible(finding.objectKey)],
    ['ours', visible(finding.ours ?? '-')],
    ['theirs', visible(finding.theirs ?? '-')],
    ['first seen', at(finding.firstSeenAt)],
    ['last seen', at(finding.lastSeenAt)],
    ['opened again', finding.reopened === 0 ? null : `${finding.reopened} times`],
    ['repaired', at(finding.repairedAt)],
    ['closed', at(finding.closedAt)],
    ['closed by', finding.closedBy === null ? null : visible(finding.closedBy)],
    ['because', finding.closeReason === null ? null : visible(finding.closeReason)],
  ]);
  if (finding.closedAt !== null) return;
  terminal.line();
  const next = finding.repairable ? 'repair' : 'close';
  terminal.line(typed(`findings ${next} ${finding.id} --reason 'why'`));
}

function stateOf(terminal: Terminal, { closedAt, repairedAt }: Finding): string {
  if (closedAt !== null) return terminal.paint('dim', 'closed');
  return repairedAt === null ? terminal.paint('red', 'open') : terminal.paint('yellow', 'repairing');
}
