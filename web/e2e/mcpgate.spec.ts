import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, type Page } from '@playwright/test';
import { join } from 'node:path';
import { change } from './ask';
import { binary, shots, test, type Gateway } from './gateway';
import { card, press, tab } from './page';

test.use({ config: 'served.yaml' });
test.slow(); // programs that start

const server = join(
  import.meta.dirname,
  '../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

/** An MCP client that isn't ours, with the gate between it and its server. */
async function connected(road: 'stdio' | 'http', gateway: Gateway, secret: string): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' });
  const transport =
    road === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${gateway.url}mcp/everything`), {
          requestInit: { headers: { Authorization: `Bearer ${secret}` } },
        })
      : new StdioClientTransport({
          command: binary,
          args: ['mcp', '--agent', 'desk', '--name', 'everything', '--', process.execPath, server],
          env: { PATH: process.env['PATH'] ?? '', LINECLEAR_URL: gateway.url, LINECLEAR_TOKEN: secret },
        });
  await client.connect(transport);
  return client;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

for (const road of ['stdio', 'http'] as const) {
  test(`a call of an MCP client on ${road} waits for a person in the dashboard`, async ({
    browserOf,
    gateway,
  }) => {
    const made = await change(browserOf, gateway, 'POST', 'api/tokens', { name: 'client', roles: ['agent'] });
    const { secret } = (await made.json()) as { secret: string };
    const client = await connected(road, gateway, secret);
    try {
      const page = await tab(browserOf, gateway, 'approvals');
      const sum = () => client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } });
      const cleared = sum();
      await expect(card(page)).toContainText('everything__get-sum');
      await expect(card(page)).toContainText('40');
      if (road === 'stdio') await shots(page, 'mcp-gate');
      await press(button(page, 'Approve once'));
      expect(JSON.stringify((await cleared).content)).toContain('42');
      await expect(page.getByTestId('answered')).toContainText('42');
      await button(page, 'Back to Approvals').click();
      const refused = sum();
      await expect(card(page)).toContainText('everything__get-sum');
      await press(button(page, 'Deny'));
      const { isError, content } = await refused;
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain('Denied');
    } finally {
      await client.close();
    }
  });
}
