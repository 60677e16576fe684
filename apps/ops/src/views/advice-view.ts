import type { Advice } from '../status/advice.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { heading } from './heading.ts';

export function writeAdvice(terminal: Terminal, advice: readonly Advice[]): void {
  if (advice.length === 0) {
    terminal.line();
    terminal.line(terminal.paint('green', 'Nothing needs a person.'));
    return;
  }
  heading(terminal, 'What to do');
  for (const { level, problem, why, commands } of advice) {
    const mark = level === 'act' ? terminal.paint('red', '!') : terminal.paint('yellow', '·');
    terminal.line(`  ${mark} ${terminal.paint('bold', problem)}`);
    terminal.line(`    ${why}`);
    for (const command of commands) terminal.line(`      ${terminal.paint('cyan', command)}`);
  }
}
