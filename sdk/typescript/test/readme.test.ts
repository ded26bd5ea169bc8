import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Gateway, waiting } from './gateway.js';

const folder = resolve(import.meta.dirname, '../..');
const blocks = [...readFileSync(resolve(folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
const files = blocks.map(([, code], i) => {
  const file = resolve(folder, `build/readme-${i}.mjs`);
  writeFileSync(file, code!);
  return file;
});

let gateway: Gateway;
before(async () => void (gateway = await Gateway.start()));
after(() => gateway.end());

const env = async (name: string, role: string) => ({
  ...process.env,
  LINECLEAR_URL: gateway.url,
  LINECLEAR_TOKEN: await gateway.token(name, role),
});

describe('the README’s program', () => {
  it('that asks is told a person’s no', async () => {
    const asks = promisify(execFile)(process.execPath, [files[0]!], { env: await env('one', 'agent') });
    const person = await gateway.client('ada', 'approver');
    const { approvalId } = await waiting(person);
    await person.answer(approvalId, { status: 'denied', message: 'not on a Friday' });
    assert.match((await asks).stdout, /^user_denied: Denied by ada: not on a Friday\./);
  });

  it('that answers clears the call of the one that asks', async () => {
    const answers = spawn(process.execPath, [files[1]!], {
      env: await env('desk', 'approver'),
      stdio: 'inherit',
    });
    const asks = await promisify(execFile)(process.execPath, [files[0]!], { env: await env('two', 'agent') });
    assert.equal(asks.stdout, 'deployed to staging\n');
    answers.kill();
  });
});
