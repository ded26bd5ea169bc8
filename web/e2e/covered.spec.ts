import { expect, type BrowserContext, type Page } from '@playwright/test';
import { ask, deny } from './ask';
import { shots, test, type Gateway } from './gateway';
import { begin, card, notes, row, show, tab } from './page';

const sizes = [
  [1200, 900],
  [1280, 720],
  [1440, 900],
  [1920, 1080],
  [375, 812],
  [390, 844],
] as const;

/** What lies over the middle of an answer's button or field, of all cards on the page; each is brought to the edge of the screen first. */
async function covered(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const over: string[] = [];
    const look = (control: HTMLElement) => {
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (there && (control.contains(there) || there.contains(control))) return;
      over.push(
        `${control.textContent || control.ariaLabel}: ${there?.outerHTML.slice(0, 120) ?? 'off the screen'}`,
      );
    };
    const controls = [
      ...document.querySelectorAll<HTMLElement>('[data-testid="card"] :is(button, textarea)'),
    ];
    const scroller = [...document.querySelectorAll('*')].find(
      (e) => e.querySelector('[data-testid="card"]') && getComputedStyle(e).overflowY === 'auto',
    );
    scroller?.scrollTo({ top: scroller.scrollHeight });
    const end = scroller?.getBoundingClientRect().bottom ?? 0;
    const top = scroller?.getBoundingClientRect().top ?? 0;
    const inSight = controls.filter((c) => {
      const box = c.getBoundingClientRect();
      return box.top >= top && box.bottom <= end;
    });
    if (inSight.length === 0) over.push('no button is in sight at the end');
    inSight.forEach(look);
    for (const control of controls) {
      control.scrollIntoView({ block: 'nearest' });
      look(control);
    }
    return over;
  });
}

async function several(browser: BrowserContext, gateway: Gateway): Promise<string[]> {
  const ids: string[] = [];
  for (const to of ['one', 'two', 'three', 'four', 'five'])
    ids.push(await ask(browser, gateway, { client: 'deployer', toolName: 'deploy', args: { to } }));
  return ids;
}

const said = async (page: Page) => {
  await begin(page, 'guide', 'crowd');
  await expect(page.getByTestId('assistant').or(page.getByTestId('call')).first()).toBeVisible();
};

test('nothing that an agent writes lies over an answer, however large the screen is', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many sizes
  const page = await tab(browserOf, gateway);
  const ids = await several(browserOf, gateway);
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await said(page);
    const told = page.getByTestId(width >= 900 ? 'client-call' : 'from-agents');
    await expect(told.first()).toBeVisible();
    await show(page, 'approvals');
    await expect(row(page)).toHaveCount(5);
    await show(page, `requests/${ids[0]}`);
    await expect(card(page)).toHaveCount(1);
    expect(await covered(page), `${width}x${height}`).toEqual([]);
  }
});

test('nor does a note of what was decided, and on a telephone the words of agents are behind a button', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many sizes
  const page = await tab(browserOf, gateway);
  const [first] = await several(browserOf, gateway);
  await said(page);
  await show(page, `requests/${first}`);
  await expect(card(page)).toHaveCount(1);
  const toolName = `deploy_${'everything_and_'.repeat(7)}more`;
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    const id = await ask(browserOf, gateway, { client: 'deployer', toolName, args: { width } });
    await expect(page).toHaveTitle('(6) Lineclear');
    await deny(
      browserOf,
      gateway,
      id,
      'not before the freeze of the release is over, and not after it either',
    );
    await expect(page).toHaveTitle('(5) Lineclear');
    await expect(notes(page).filter({ hasText: 'Denied by' }).first()).toBeVisible();
    expect(await covered(page), `${width}x${height}`).toEqual([]);
  }
  await shots(page, 'agents-words');
  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByTestId('from-agents').click();
  await expect(page.getByRole('dialog').getByTestId('client-call').first()).toBeVisible();
  await shots(page, 'agents-words-open', 375);
});
