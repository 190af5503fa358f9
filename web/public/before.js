// The policy of the page forbids code made from text, with which zod would speed itself up. Its schemas look at this when they are made.
globalThis.__zod_globalConfig = { jitless: true };
