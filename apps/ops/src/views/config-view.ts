import type { ValueSource } from '@mailroom/config';
import type { MergedDescription } from '../config/merge-descriptions.ts';
import { count } from '../terminal/count.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { heading } from './heading.ts';

export function writeConfig(terminal: Terminal, description: MergedDescription): void {
  const { roles, settings, endpoints, sinks, problems, warnings } = description;
  terminal.line(`${terminal.paint('bold', 'Configuration')} of ${roles.join(', ')}`);
  terminal.line();
  writeTable(
    terminal,
    [{ title: 'SETTING' }, { title: 'VALUE' }, { title: 'FROM' }, { title: 'MEANING' }],
    settings.map(({ name, value, source, description: meaning }) => [
      name,
      source === 'default' ? terminal.paint('dim', visible(value)) : visible(value),
      sourceOf(source),
      meaning,
    ]),
    '  ',
  );
  heading(terminal, 'Endpoints', endpoints.length === 0 ? 'none' : '');
  if (endpoints.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'ENDPOINT' },
        { title: 'TOLERANCE', align: 'right' },
        { title: 'BODY LIMIT', align: 'right' },
        { title: 'FROM' },
        { title: 'SECRETS' },
      ],
      endpoints.map((endpoint) => [
        `${endpoint.provider}/${endpoint.endpoint}`,
        `${count(endpoint.toleranceMs)} ms`,
        `${count(endpoint.maxBodyBytes)} bytes`,
        sourceOf(endpoint.source),
        endpoint.secrets.map(({ label, from }) => visible(`${label} [redacted] from ${from}`)).join(', '),
      ]),
      '  ',
    );
  }
  heading(terminal, 'Sinks', sinks.length === 0 ? 'none' : '');
  if (sinks.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'SINK' },
        { title: 'TYPE' },
        { title: 'TOPICS' },
        { title: 'SENDS TO' },
        { title: 'FROM' },
        { title: 'SECRETS' },
      ],
      sinks.map(({ name, type, topics, target, file, secretsFrom }) => [
        name,
        type,
        visible(topics.join(', ')),
        visible(target),
        visible(file),
        visible(secretsFrom.map((from) => `[redacted] from ${from}`).join(', ')),
      ]),
      '  ',
    );
  }
  list(terminal, 'Warnings', warnings);
  list(terminal, 'Problems', problems);
  if (problems.length > 0) return;
  terminal.line();
  terminal.line(terminal.paint('green', 'Valid.'));
}

function list(terminal: Terminal, title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  heading(terminal, title);
  for (const line of lines) terminal.line(`  ${terminal.paint('red', '!')} ${visible(line)}`);
}

function sourceOf(source: ValueSource): string {
  return typeof source === 'string' ? source : visible(source.file);
}
