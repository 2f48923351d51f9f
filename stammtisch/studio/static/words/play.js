export default { en: {}, de: {} };
