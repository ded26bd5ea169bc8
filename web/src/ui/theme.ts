import { createTheme, type MantineColorsTuple } from '@mantine/core';

// The lamp that says the line is clear; dark enough at 7 for white text.
const clear: MantineColorsTuple = [
  '#e8f6f0',
  '#d0ebdf',
  '#a3d8c1',
  '#72c4a1',
  '#4bb388',
  '#34a878',
  '#1f8f63',
  '#0f7a54',
  '#0a6545',
  '#054a32',
];

const dark: MantineColorsTuple = [
  '#d8dde2',
  '#b6bdc5',
  '#98a1ab',
  '#6c757f',
  '#454d56',
  '#353c44',
  '#282e35',
  '#171b20',
  '#12151a',
  '#0d1013',
];

// The head of a dialog is no second banner of the page. The page itself never
// scrolls, so that nothing has to be locked: that would need a style tag of its own.
const dialog = { attributes: { header: { role: 'presentation' } }, lockScroll: false };

export const theme = createTheme({
  colors: { clear, dark },
  primaryColor: 'clear',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '600' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: { defaultProps: dialog, styles: { title: { fontWeight: 600 } } },
    Drawer: { defaultProps: dialog, styles: { title: { fontWeight: 600 } } },
  },
});
