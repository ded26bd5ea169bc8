import { expect } from '@playwright/test';
import { ask } from './ask';
import { test } from './gateway';
import { card } from './page';

interface Marks {
  there?: number; // ms since the navigation began
  armed?: number;
}

test(
  'the first card can be answered soon after the page is opened; how soon is printed',
  { tag: '@long' },
  async ({ browserOf, gateway }, testInfo) => {
    await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to: 'staging' } });
    const page = await browserOf.newPage();
    await page.addInitScript(() => {
      const marks: Marks = {};
      (window as unknown as { marks: Marks }).marks = marks;
      const look = () => {
        const button = [...document.querySelectorAll<HTMLButtonElement>('[data-testid="card"] button')].find(
          (b) => b.textContent.includes('Approve once') && !b.disabled,
        );
        if (button) marks.there ??= performance.now();
        if (button?.dataset['armed']) marks.armed ??= performance.now();
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
    });
    const rounds: Required<Marks>[] = [];
    for (let round = 0; round < 3; round++) {
      await page.goto(`${gateway.url}approvals?round=${round}`);
      const approve = card(page).getByRole('button', { name: 'Approve once' });
      await expect(approve).toHaveAttribute('data-armed', 'true', { timeout: 5000 });
      rounds.push(await page.evaluate(() => (window as unknown as { marks: Required<Marks> }).marks));
    }
    const told = rounds.map((r) => `${Math.round(r.there)} (armed ${Math.round(r.armed)})`).join(', ');
    const description = `from the opening of the page to the first card's Approve, ms: ${told}`;
    testInfo.annotations.push({ type: 'speed', description });
    console.log(description);
  },
);
