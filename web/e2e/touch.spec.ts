import { expect, type CDPSession, type Page } from '@playwright/test';
import { ask, standing } from './ask';
import { test } from './gateway';
import { answered, card, ready, tab } from './page';

const risky = { agentId: 'demo', client: 'cleaner', toolName: 'shell', args: { command: 'rm -rf build' } };
const approve = (page: Page) => card(page).first().getByRole('button', { name: 'Approve once' });

/** A finger on the screen, as Chromium itself makes one. */
class Finger {
  private constructor(
    private readonly page: Page,
    private readonly protocol: CDPSession,
    private x = 0,
    private y = 0,
  ) {}

  static async on(page: Page): Promise<Finger> {
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    return new Finger(page, protocol);
  }

  async down(x: number, y: number): Promise<void> {
    [this.x, this.y] = [x, y];
    await this.protocol.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  }

  /** Moves in steps, each of a frame or more. */
  async by(dx: number, dy: number, steps: number): Promise<void> {
    for (let i = 1; i <= steps; i++) {
      const point = { x: this.x + (dx * i) / steps, y: this.y + (dy * i) / steps };
      await this.protocol.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
      await this.page.evaluate(() => new Promise((r) => requestAnimationFrame(r)));
    }
    [this.x, this.y] = [this.x + dx, this.y + dy];
  }

  async up(): Promise<void> {
    await this.protocol.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }
}

/** A telephone's page with one risky request, its button within reach, and a finger. */
async function phone(page: Page, height = 844): Promise<{ finger: Finger; x: number; y: number }> {
  await page.setViewportSize({ width: 390, height });
  await page.clock.install();
  await page.reload();
  await expect(page.getByTestId('connection')).toContainText('Connected');
  const finger = await Finger.on(page); // first: controls are larger on touch screens
  await ready(approve(page));
  const box = (await approve(page).boundingBox())!;
  return { finger, x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Lets more of the page's own time pass than a whole hold takes. */
const longer = (page: Page) => page.clock.fastForward(2000);

const scrolled = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('*')].reduce((sum, e) => sum + e.scrollTop, 0));

test('a finger that is held on the button approves what is risky', async ({ browserOf, gateway }) => {
  const id = await ask(browserOf, gateway, risky);
  const page = await tab(browserOf, gateway, `requests/${id}`);
  const { finger, x, y } = await phone(page);
  await finger.down(x, y);
  await expect(approve(page)).toHaveAttribute('data-holding', 'true');
  await finger.by(2, 1, 2); // it trembles
  await expect(answered(page)).toContainText('Approved by');
  await finger.up();
  expect(await standing(browserOf, gateway, id)).toBe('approved');
});

for (const [name, dx, dy, steps] of [
  ['that slides far off the button and rests there', 0, -250, 6],
  ['that slides just off the button and rests there', 0, -60, 6],
  ['that slides along the button and rests there', 90, 0, 6],
] as const)
  test(`a finger ${name} approves nothing`, async ({ browserOf, gateway }) => {
    const id = await ask(browserOf, gateway, risky);
    const page = await tab(browserOf, gateway, `requests/${id}`);
    const { finger, x, y } = await phone(page);
    await finger.down(x, y);
    await expect(approve(page)).toHaveAttribute('data-holding', 'true');
    await finger.by(dx, dy, steps);
    await expect(approve(page)).not.toHaveAttribute('data-holding');
    await longer(page);
    await finger.up();
    expect(await standing(browserOf, gateway, id)).toBe('pending');
  });

test('a slow scroll that begins on the button scrolls, and approves nothing', async ({
  browserOf,
  gateway,
}) => {
  const id = await ask(browserOf, gateway, risky);
  const page = await tab(browserOf, gateway, `requests/${id}`);
  const { finger, x, y } = await phone(page, 560); // longer than the screen, and scrolled to its end
  const before = await scrolled(page);
  await finger.down(x, y);
  await expect(approve(page)).toHaveAttribute('data-holding', 'true');
  await finger.by(0, 300, 60);
  await expect.poll(async () => before - (await scrolled(page))).toBeGreaterThan(100);
  await expect(approve(page)).not.toHaveAttribute('data-holding');
  await longer(page);
  await finger.up();
  expect(await standing(browserOf, gateway, id)).toBe('pending');
});
