import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Gateway, waiting } from '../../sdk/typescript/build/test/gateway.js';

const runs = promisify(execFile);
const longestBridge = 15;

let gateway, approver, env;
before(async () => {
  gateway = await Gateway.start();
  approver = await gateway.client('ada', 'approver');
  const token = await gateway.token('recipes', 'agent');
  env = { ...process.env, LINECLEAR_URL: gateway.url, LINECLEAR_TOKEN: token };
});
after(() => gateway.end());

/** Writes the blocks of a recipe under the names in their first lines, and returns their folder. */
function filesOf(recipe) {
  const folder = resolve(import.meta.dirname, 'node_modules/.recipes', recipe);
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(resolve(import.meta.dirname, `${recipe}.md`), 'utf8');
  for (const [, code, name] of text.matchAll(/```(?:js|python)\n((?:\/\/|#) (\S+)\n.*?)```/gs)) {
    writeFileSync(resolve(folder, name), code);
  }
  return folder;
}

for (const [recipe, command] of [
  ['openai-agents', [process.execPath, 'demo.mjs']],
  ['ai-sdk', [process.execPath, 'demo.mjs']],
  ['langgraph', [process.execPath, 'demo.mjs']],
  ['python', ['python3', 'demo.py']],
]) {
  describe(recipe, () => {
    const cwd = filesOf(recipe);

    /** Runs the program and answers what it asks; what its model read. */
    async function read(answer) {
      const [program, file] = command;
      const over = runs(program, [file], { cwd, env });
      const { approvalId, argsDigest, args } = await Promise.race([waiting(approver), over]);
      assert.deepEqual(args, { to: 'staging' });
      await approver.answer(approvalId, { ...answer, argsDigest });
      const { stdout } = await over;
      return { stdout, approval: await approver.approval(approvalId) };
    }

    it('runs what is approved, and its result is on record', async () => {
      const { stdout, approval } = await read({ status: 'approved' });
      assert.equal(stdout, 'I read: deployed to staging\n');
      assert.equal(approval.run, 'finished');
    });

    it('runs what a person made of it', async () => {
      const { stdout } = await read({ status: 'approved', edit: { to: 'production' } });
      assert.equal(stdout, 'I read: deployed to production\n');
    });

    it('has its model read why it is denied', async () => {
      const { stdout, approval } = await read({ status: 'denied', message: 'not on a Friday' });
      assert.match(stdout, /^I read: .*ada: not on a Friday/);
      assert.equal(approval.run, 'void');
    });

    if (command[1] === 'demo.mjs') {
      it('is short', () => {
        const lines = readFileSync(resolve(cwd, 'gated.mjs'), 'utf8').trim().split('\n').slice(1);
        assert.ok(lines.filter((line) => line.trim()).length <= longestBridge);
      });
    }
  });
}

it('a recipe is run as the README says', async () => {
  const cwd = filesOf('ai-sdk');
  const block = /```sh\n(.*?)```/s.exec(readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8'))[1];
  const programs = resolve(import.meta.dirname, 'node_modules/.recipes/bin');
  mkdirSync(programs, { recursive: true });
  rmSync(resolve(programs, 'gateway'), { force: true });
  symlinkSync(process.env.LINECLEAR_BIN ?? resolve(import.meta.dirname, '../../bin/gateway'), resolve(programs, 'gateway'));
  const admin = { LINECLEAR_TOKEN: await gateway.token('admin', 'admin') };
  const over = runs('bash', ['-eu', '-c', block.replace('http://127.0.0.1:8787', gateway.url)], {
    cwd,
    env: { ...process.env, ...admin, PATH: `${programs}:${process.env.PATH}` },
  });
  const { approvalId, argsDigest, origin } = await Promise.race([waiting(approver), over]);
  assert.equal(origin.subject, 'demo'); // the token that the block makes
  await approver.answer(approvalId, { status: 'approved', argsDigest });
  assert.equal((await over).stdout, 'I read: deployed to staging\n');
});
