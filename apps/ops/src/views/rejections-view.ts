import type { Rejection, RejectionSummary } from '../queries/rejections.ts';
import { count } from '../terminal/count.ts';
import { ago, moment, spanOf } from '../terminal/span.ts';
import { writeFields, writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

export function writeRejections(terminal: Terminal, rejections: readonly RejectionSummary[], now: Date): void {
  writeTable(
    terminal,
    [
      { title: 'ID', align: 'right' },
      { title: 'REFUSED' },
      { title: 'ENDPOINT' },
      { title: 'DIAGNOSIS' },
      { title: 'SECRET' },
      { title: 'BYTES', align: 'right' },
      { title: 'WHAT IS BEHIND IT' },
    ],
    rejections.map((rejection) => [
      rejection.id,
      ago(rejection.rejectedAt, now),
      `${rejection.provider}/${rejection.endpoint}`,
      visible(rejection.diagnosis),
      visible(rejection.secretLabel ?? ''),
      count(rejection.bodyBytes),
      visible(rejection.explanation),
    ]),
  );
}

export function writeRejection(terminal: Terminal, rejection: Rejection, now: Date): void {
  const { body, contentType, contentEncoding, skewMs, headerNames } = rejection;
  writeFields(terminal, [
    ['id', rejection.id],
    ['refused', moment(rejection.rejectedAt, now)],
    ['endpoint', `${rejection.provider}/${rejection.endpoint}`],
    ['reason', visible(rejection.reason)],
    ['diagnosis', visible(rejection.diagnosis)],
    ['secret', rejection.secretLabel === null ? null : visible(rejection.secretLabel)],
    [
      'signed',
      skewMs === null ? null : `${spanOf(Math.abs(skewMs) / 1000)} ${skewMs < 0 ? 'in the future' : 'before'}`,
    ],
    ['body', `${count(rejection.bodyBytes)} bytes, sha256 ${rejection.bodySha256}`],
    ['content type', contentType === null ? null : visible(contentType)],
    ['content encoding', contentEncoding === null ? null : visible(contentEncoding)],
    ['headers', visible(headerNames.join(', '))],
    ['kept body', body === null ? 'none' : typed(`rejections ${rejection.id} --body`)],
  ]);
  terminal.line();
  terminal.line(visible(rejection.explanation));
}
