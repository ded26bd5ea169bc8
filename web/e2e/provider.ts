import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a provider answers: a whole body of the chat completions API, or a refusal. */
export type Answer = { status: number; body: unknown };

export const said = (message: object, reason: string, usage: object): Answer => ({
  status: 200,
  body: {
    id: 'r1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: reason, message: { role: 'assistant', ...message } }],
    usage,
  },
});

/** A provider that gives the answers in turn, the last one again and again. */
export class Provider {
  private asked = 0;
  private constructor(private readonly server: Server) {}

  static async start(answers: readonly Answer[]): Promise<Provider> {
    const server = createServer((request, response) => {
      request.resume();
      const { status, body } = answers[Math.min(provider.asked++, answers.length - 1)]!;
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    const provider = new Provider(server);
    await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  end(): void {
    this.server.close();
  }
}
