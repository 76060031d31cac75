/** The text of a file, as the test runner's bundler gives it. */
declare module "*.sql?raw" {
  const text: string;
  export default text;
}
