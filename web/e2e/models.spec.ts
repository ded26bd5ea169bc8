import { expect } from '@playwright/test';
import { shots, test as base } from './gateway';
import { begin, say, tab } from './page';
import { Provider, said } from './provider';

const answers = [
  said(
    {
      reasoning_content: 'They want to know the system.\nA shell would tell, but\u202E I have none.',
      content: 'The answer is long, and it begins with',
    },
    'length',
    { prompt_tokens: 12_000, completion_tokens: 345, prompt_tokens_details: { cached_tokens: 8_000 } },
  ),
  said({ content: '' }, 'content_filter', { prompt_tokens: 400, completion_tokens: 0 }),
  { status: 401, body: { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error' } } },
];

const test = base.extend({
  modelURL: async ({}, use) => {
    const provider = await Provider.start(answers);
    await use(provider.url);
    provider.end();
  },
});

test('what a provider tells beside its words is shown: thoughts, why it ended, what it cost, its refusals', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  const newest = page.getByTestId('assistant').last();
  await begin(page, 'told', 'Which system is this?');
  await expect(newest).toContainText('Cut off at the model’s output limit.');
  await expect(newest.getByText(/They want to know/)).toBeHidden();
  await newest.getByText('Reasoning').click();
  await expect(newest.getByText(/⟨U\+202E⟩/)).toBeVisible();
  await expect(page.getByTestId('usage')).toHaveText('12.3k tokens · cost 0.01958');
  await say(page, 'And this?');
  await expect(newest).toContainText('The model or its provider refused.');
  await say(page, 'And that?');
  await expect(page.getByText('The agent stopped with an error: the key is not accepted')).toBeVisible();
  await expect(page.getByTestId('usage')).toHaveText('12.7k tokens · cost 0.02078');
  await page.getByTestId('usage').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('from cache')).toBeVisible();
  await shots(page, 'model-words');
  await page.keyboard.press('Escape');
  await expect(page.getByText('from cache')).toBeHidden();
  await page.reload();
  await expect(page.getByTestId('usage')).toHaveText('12.7k tokens · cost 0.02078');
});
